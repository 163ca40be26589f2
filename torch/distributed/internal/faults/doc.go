// Package faults has tests alone: a small training on two ranks whose network is slow, loses
// packets and goes away, and whose ranks are killed and stopped.
package faults
