/** What Node adds; the examples need no more of it. */
declare const process: { argv: string[] };
