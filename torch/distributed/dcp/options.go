package dcp

import "github.com/gotorch/gotorch/torch"

// A SaveOption is an option of [Save]: [Overwrite].
//
//gotorch:options Overwrite
type SaveOption interface{ saveOption() }

// A LoadOption is an option of [Load]: [AllowPartialLoad].
//
//gotorch:options AllowPartialLoad
type LoadOption interface{ loadOption() }

// Overwrite controls whether [Save] may replace an existing checkpoint in the directory.
// The existing checkpoint stays complete until the new one is complete. If Overwrite is
// false on any rank, an existing checkpoint causes an error of kind fs.ErrExist. The
// default is true, as in Python's FileSystemWriter.
type Overwrite bool

// AllowPartialLoad controls what [Load] does with values that the checkpoint lacks: it leaves them
// unchanged (true), or fails with ErrNotFound (false). It is allow_partial_load of Python's
// DefaultLoadPlanner. The default is false.
type AllowPartialLoad bool

func readSaving(op string, opts []SaveOption) (overwrite bool, err error) {
	overwrite = true
	for _, o := range opts {
		switch o := o.(type) {
		case Overwrite:
			overwrite = bool(o)
		default:
			return overwrite, torch.BadOption(op, o)
		}
	}
	return overwrite, nil
}

func readLoading(op string, opts []LoadOption) (partial bool, err error) {
	for _, o := range opts {
		switch o := o.(type) {
		case AllowPartialLoad:
			partial = bool(o)
		default:
			return partial, torch.BadOption(op, o)
		}
	}
	return partial, nil
}
