//go:build !race

package pythontest

const race = false
