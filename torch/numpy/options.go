package numpy

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption configures [Load]: [Mmap].
//
//gotorch:options Mmap
type LoadOption interface{ loadOption() }

// Mmap (true) maps the file into memory instead of reading it: pages are loaded on first
// access. The mapping is private: writing to the tensor does not change the file. The
// mapping lasts as long as the tensor. If the file is truncated during this time,
// accessing the tensor ends the process. Bools, arrays in the opposite byte order and
// misaligned arrays are read instead of mapped; NumPy writes no misaligned arrays. The
// default is false. It is mmap_mode="c" in Python.
type Mmap bool

func readLoading(op string, opts []LoadOption) (mmap bool) {
	return bool(opt.Read(op, opts, Mmap(false)))
}

// An NpzOption is an option of [OpenNpz] and [LoadNpz]: [MaxInflated].
//
//gotorch:options MaxInflated
type NpzOption interface{ npzOption() }

// MaxInflated limits the total size of an archive's arrays, as protection against small
// compressed files that would fill the memory. The limit is 16 times the size of the file
// plus MaxInflated bytes. Python has no such limit. The default is 1<<30.
type MaxInflated int64

func readNpz(op string, opts []NpzOption) int64 {
	most := opt.Read(op, opts, MaxInflated(1<<30))
	if most < 0 {
		panic(torch.NewError(op, torch.ErrValue, "MaxInflated",
			fmt.Sprintf("expected a non-negative number of bytes, got %d", most)))
	}
	return int64(most)
}
