package cgotorch

// Whoever calls libtorch through this package gets the CPU allocator with it.
import _ "github.com/gotorch/gotorch/cgotorch/mem"
