// Package pickle reads and writes pickles of plain data, Python's file format for values:
// numbers, strings, lists, tuples and dicts. It runs no code named in a file, and does
// not interpret the data.
//
// A Reader accepts any protocol. It holds the values of one pickle while a callback
// converts them. Files are untrusted: a damaged file, or a file made to exhaust its
// reader, gives an error. Reading a file uses no more memory than the size of the file
// justifies. To save memory, a dict can be converted as soon as it is complete (Seal,
// Become), and a list with many references is converted only once (Made).
//
// A Writer writes protocol 2, with references to repeated values.
package pickle
