package profiler

import "github.com/gotorch/gotorch/torch"

// checkMade returns an error of kind ErrNil for a profile that NewProfile did not make.
func (p *Profile) checkMade(method string) error {
	if p == nil || !p.config.made {
		return torch.NewError("profiler.Profile."+method, torch.ErrNil, "receiver",
			"the Profile was not made by NewProfile")
	}
	return nil
}

// nilWriter returns the error of a method that was passed a nil writer.
func nilWriter(method string) error {
	return torch.NewError("profiler.Profile."+method, torch.ErrNil, "w", "a nil writer")
}

// must panics with ErrNil if ok is false, which means that the receiver is nil.
func must(ok bool, typ, method string) {
	if !ok {
		panic(torch.NewError("profiler."+typ+"."+method, torch.ErrNil, "receiver", "a nil *profiler."+typ))
	}
}
