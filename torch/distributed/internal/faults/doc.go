// Package faults contains only tests. They train a small model on two ranks while the network is
// slow, loses packets or fails, and while ranks are killed or stopped.
package faults
