/** The page looks its own elements up by selectors that say of which kind they are; TypeScript does not read selectors. */

interface EventTarget { closest: any; id: any; value: any; dataset: any; type: any; checked: any }
interface Element { content: any; close: any; select: any; focus: any; showModal: any; open: any }
interface Window { earlySocket?: WebSocket }
interface Event { pointerId: any; isComposing: any }
