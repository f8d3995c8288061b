"""The word lists, their builder and their report. The game reads only the text files."""
