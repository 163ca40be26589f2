// Package memory stands in for the library's package.
package memory

func EmptyCache(devices ...int) {}

func Track(name string, fn func()) { fn() }
