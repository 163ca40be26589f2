package profiler

import "fmt"

// A Category is the purpose of a memory block; Category of
// torch.profiler._memory_profiler in Python.
type Category int

// The categories, in the order of the columns of [Profile.ExportMemoryTimeline].
const (
	CategoryParameter      Category = iota // parameter of a module or an optimizer that ran
	CategoryOptimizerState                 // state of an optimizer that took a step
	CategoryInput                          // argument of an outermost module
	CategoryTemporary                      // allocated and freed within one operator
	CategoryActivation                     // made by a forward pass
	CategoryGradient                       // gradient of a parameter
	CategoryAutogradDetail                 // made by a backward pass, but not a gradient of a parameter
	CategoryUnknown                        // anything else
)

var categoryNames = [...]string{
	"PARAMETER", "OPTIMIZER_STATE", "INPUT", "TEMPORARY", "ACTIVATION", "GRADIENT",
	"AUTOGRAD_DETAIL", "UNKNOWN",
}

// String returns Python's name of the category, such as "PARAMETER". For None it returns "UNKNOWN".
func (c Category) String() string {
	if c < 0 || int(c) >= len(categoryNames) {
		return fmt.Sprintf("Category(%d)", int(c))
	}
	return categoryNames[c]
}
