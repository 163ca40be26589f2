// Package pickle reads and writes pickles of plain data, Python's file format for values:
// numbers, strings, lists, tuples and dicts. It runs no code named in a file, and does
// not know what the data means.
//
// A Reader accepts any protocol. It holds the values of one pickle while a callback
// converts them. Files are untrusted: a damaged file, or one made to exhaust its reader,
// returns an error and costs no more memory than its size justifies. A dict can be
// converted to something smaller as soon as it is complete (Seal, Become). A list with
// many references is converted once (Made).
//
// A Writer writes protocol 2, with references to repeated values.
package pickle
