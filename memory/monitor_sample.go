package memory

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/memory/internal/units"
)

// Sample contains the numbers that a [Monitor] reads at one moment.
type Sample struct {
	Time time.Time
	// Native is the number of bytes that live CPU tensors requested.
	Native  int64
	Tensors int64 // open *torch.Tensor
	// Nodes is the number of nodes of autograd graphs, see GraphNodes. It is 0 if unknown.
	Nodes int64
	// Objects is the number of all other objects that the function Objects lists, except
	// RecordedEvents.
	Objects  int64
	Resident int64 // resident bytes of the process, 0 if unknown
	GoHeap   int64 // bytes of Go objects, including garbage that is not collected yet
	// CHeap is the number of bytes in use on malloc's heap, see ProcessStats. It is 0 if it
	// is unknown, or if CHeapBytes is not in MonitorOptions.Quantities.
	CHeap int64
}

// String returns the sample as one line for a log, without the C heap if CHeap was not
// read.
func (s Sample) String() string {
	line := fmt.Sprintf("%s: native %s in %d tensors, %d graph nodes, %d other objects, resident %s, Go heap %s",
		s.Time.Format(time.DateTime), units.Size(s.Native), s.Tensors, s.Nodes, s.Objects, units.Size(s.Resident),
		units.Size(s.GoHeap))
	if s.CHeap != 0 {
		line += ", C heap " + units.Size(s.CHeap)
	}
	return line
}

// Quantity names one of a Sample's numbers.
type Quantity string

// The quantities that a Monitor watches.
const (
	NativeBytes   Quantity = "native bytes"
	OpenTensors   Quantity = "open tensors"
	OpenNodes     Quantity = "graph nodes"
	OpenObjects   Quantity = "other objects"
	ResidentBytes Quantity = "resident bytes"
	GoHeapBytes   Quantity = "Go heap bytes"
	CHeapBytes    Quantity = "C heap bytes"
)

// quantities lists all quantities. Nothing changes this list.
var quantities = []Quantity{NativeBytes, OpenTensors, OpenNodes, OpenObjects, ResidentBytes, GoHeapBytes, CHeapBytes}

func (s Sample) value(q Quantity) float64 {
	switch q {
	case NativeBytes:
		return float64(s.Native)
	case OpenTensors:
		return float64(s.Tensors)
	case OpenNodes:
		return float64(s.Nodes)
	case OpenObjects:
		return float64(s.Objects)
	case ResidentBytes:
		return float64(s.Resident)
	case CHeapBytes:
		return float64(s.CHeap)
	default:
		return float64(s.GoHeap)
	}
}
