package fileerr

import "errors"

// At has an *[Error] of what a file is name a byte, unless it names one or a tensor. Others
// stay as they are: those of the machine, which no byte of the file explains.
func At(err error, offset int64) error {
	var e *Error
	if errors.As(err, &e) && e.Kind != nil && e.Offset == NoOffset && e.Tensor == "" {
		e.Offset = offset
	}
	return err
}
