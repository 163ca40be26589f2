package profiler

// build returns the events of the last cycle and of those before it that are kept. The
// caller holds the lock.
func (p *Profile) build() *EventList {
	if p.lists == nil {
		b := newBuilder(p.last)
		b.construct()
		p.built = b
		p.lists = &EventList{Events: b.events, show: p.shown()}
		p.lists.Events = append(p.lists.Events, p.old...)
	}
	return p.lists
}

func (p *Profile) shown() shown {
	s := shown{memory: p.config.memory, flops: p.config.flops}
	if p.config.cuda {
		s.device = "CUDA"
	}
	return s
}

// results is what the profile recorded. It panics where it has not recorded anything yet.
func (p *Profile) results(method string) *EventList {
	if err := p.made(method); err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		panic(misuse(method, "nothing has been recorded yet: results are there after Stop, and in the function of OnTraceReady"))
	}
	return p.build()
}

// Events returns the calls of the last cycle, or with AccEvents of all cycles so far. The
// list is the profile's own and does not change. It panics with ErrRuntime before the
// first cycle or the profile has ended. Follows profile.events.
func (p *Profile) Events() *EventList { return p.results("Events") }

// String is the table of Events, and in Python's words that there are none before the profile
// has ended. Follows repr of torch.autograd.profiler.profile.
func (p *Profile) String() string {
	if p.made("String") != nil {
		return "<nil>"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return "<unfinished torch.autograd.profile>"
	}
	return p.build().String()
}

// KeyAverages sums up Events by name and by what the options say. It panics as Events does,
// and with ErrValue for a negative GroupByStackN. Follows profile.key_averages.
func (p *Profile) KeyAverages(opts ...GroupOption) *AverageList {
	return p.results("KeyAverages").keyAverages("profiler.Profile.KeyAverages", opts)
}

// TotalAverage sums up Events; it panics as they do. Follows
// torch.autograd.profiler.profile.total_average.
func (p *Profile) TotalAverage() *EventAvg { return p.results("TotalAverage").TotalAverage() }

// Modules returns the forward passes of modules that the last cycle saw, with WithModules,
// such as "nn.Module: Linear_0"; they are in no table. It panics as Events does.
func (p *Profile) Modules() []*Event {
	p.results("Modules")
	return p.built.modules
}
