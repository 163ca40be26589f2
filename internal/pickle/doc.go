// Package pickle reads and writes pickles of plain data, which is how Python keeps
// values in files: numbers, strings, lists, tuples and dicts. It runs no code that
// a file may name, and does not know what the data is about.
//
// A Reader takes any protocol. It holds the values of one pickle while a callback
// turns them into the caller's own. Files come from anywhere: one that is damaged,
// or made to exhaust its reader, gives an error and costs no more memory than its
// own size explains. A dict can be turned into something smaller as soon as it is
// complete (Seal, Become), and a list to which many refer is turned once (Made).
//
// A Writer writes protocol 2, and what it has written before as a reference.
package pickle
