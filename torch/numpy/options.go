package numpy

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// A LoadOption says how [Load] reads: [Mmap].
//
//gotorch:options Mmap
type LoadOption interface{ loadOption() }

// Mmap maps the file into memory instead of reading it, mmap_mode="c" in Python: what is
// never used is never loaded. The mapping is private, so writing into the tensor leaves
// the file as it is, and it stays as long as the tensor. A file that gets shorter meanwhile
// ends the process. Arrays whose bytes have to be looked at are read all the same: bools,
// those of the other byte order, and those that do not lie at a multiple of their element's
// size, as NumPy writes none. The default is false.
type Mmap bool

func readLoading(op string, opts []LoadOption) (mmap bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case Mmap:
			mmap = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return mmap
}

// An NpzOption says how archives are read: [MaxInflated].
//
//gotorch:options MaxInflated
type NpzOption interface{ npzOption() }

// MaxInflated is how many bytes the arrays of an archive may have together beyond 16 times
// the size of the file. Only compressed arrays can have more than the file; a small file of
// zeros may fill any memory. Python has no such limit. The default is 1<<30.
type MaxInflated int64

func readNpz(op string, opts []NpzOption) int64 {
	most := int64(1 << 30)
	for _, o := range opts {
		switch o := o.(type) {
		case MaxInflated:
			most = int64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if most < 0 {
		panic(torch.NewError(op, torch.ErrValue, "MaxInflated", fmt.Sprintf("expected a number of bytes, got %d", most)))
	}
	return most
}
