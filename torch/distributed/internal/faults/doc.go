// Package faults only has tests: a small training on two ranks whose network is slow,
// loses packets and fails, and whose ranks are killed and stopped.
package faults
