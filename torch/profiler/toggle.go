package profiler

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// ToggleCollection pauses or resumes the recording of operators on all goroutines. It may
// be called at any time between Start and Stop, and lasts until the cycle ends. Only CPU
// can be toggled: if activities is empty or contains CUDA, the error is a *torch.Error of
// kind ErrValue. If the profile is not recording, it is of kind ErrRuntime. Follows
// profile.toggle_collection_dynamic.
func (p *Profile) ToggleCollection(on bool, activities ...Activity) error {
	if err := p.checkMade("ToggleCollection"); err != nil {
		return err
	}
	const op = "profiler.Profile.ToggleCollection"
	if len(activities) == 0 {
		return torch.NewError(op, torch.ErrValue, "activities", "expected CPU, got none")
	}
	for _, a := range activities {
		if a != CPU {
			return torch.NewError(op, torch.ErrValue, "activities", fmt.Sprintf("expected CPU, got %v", a))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		return misuse("ToggleCollection", "the profile is not recording now")
	}
	p.session.toggle(on)
	return nil
}
