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

// Overwrite says whether [Save] may take the place of a checkpoint that is in the folder
// already. The old one stays whole until the new one is. Without it such a folder is an error,
// of kind fs.ErrExist; so it is if one of the ranks says false. The default is true, as that of
// Python's FileSystemWriter.
type Overwrite bool

// AllowPartialLoad says whether [Load] leaves what the checkpoint does not have as it is,
// instead of failing with ErrNotFound: allow_partial_load of Python's DefaultLoadPlanner. The
// default is false.
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
