package fileerr

import "errors"

// At sets the offset of an *[Error] about the contents of a file, unless the error
// already has an offset or names a tensor. It does not change other errors, such as
// system errors.
func At(err error, offset int64) error {
	var e *Error
	if errors.As(err, &e) && e.Kind != nil && e.Offset == NoOffset && e.Tensor == "" {
		e.Offset = offset
	}
	return err
}
