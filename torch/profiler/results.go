package profiler

// build returns the events of the last cycle and the kept events of earlier cycles. The
// caller must hold the lock.
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

// results returns the recorded events. It panics if there are none yet.
func (p *Profile) results(method string) *EventList {
	if err := p.checkMade(method); err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		panic(misuse(method,
			"nothing has been recorded yet; results are available after Stop and in OnTraceReady"))
	}
	return p.build()
}

// Events returns the calls of the last cycle, or with AccEvents the calls of all cycles
// so far. The list belongs to the profile and does not change. It panics with ErrRuntime
// if no cycle has ended yet. Follows profile.events.
func (p *Profile) Events() *EventList { return p.results("Events") }

// String returns the table of Events, or Python's placeholder text if no cycle has ended
// yet. Follows repr of torch.autograd.profiler.profile.
func (p *Profile) String() string {
	if p.checkMade("String") != nil {
		return "<nil>"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		return "<unfinished torch.autograd.profile>"
	}
	return p.build().String()
}

// KeyAverages sums Events with the same name and the same values of the grouping
// options. It panics as Events does, and with ErrValue for a negative GroupByStackN.
// Follows profile.key_averages.
func (p *Profile) KeyAverages(opts ...GroupOption) *AverageList {
	return p.results("KeyAverages").keyAverages("profiler.Profile.KeyAverages", opts)
}

// TotalAverage sums Events. It panics as Events does. Follows
// torch.autograd.profiler.profile.total_average.
func (p *Profile) TotalAverage() *EventAvg { return p.results("TotalAverage").TotalAverage() }

// Modules returns the forward passes of modules in the last cycle, such as "nn.Module:
// Linear_0". Tables omit them. It requires WithModules. It panics as Events does.
func (p *Profile) Modules() []*Event {
	p.results("Modules")
	return p.built.modules
}
