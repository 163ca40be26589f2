package profiler

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/internal/native/named"
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// A Profile records operators from Start to Stop, or in the steps that its schedule
// selects. Its methods may be called on any goroutine, but not concurrently; Start and
// Stop may be called on different goroutines. The recording stays available after Stop.
//
// A process can record one profile at a time. A profile that is never stopped keeps
// recording, and its memory grows with every operator: call Stop with defer.
//
// A Profile holds no native memory and needs no Close.
type Profile struct {
	mu       sync.Mutex
	config   config
	running  bool // between Start and Stop
	ran      bool
	step     int
	action   Action
	stepMark *region.Region
	session  *session
	metadata []metadata

	last  *recorded  // the recording of the last cycle
	lists *EventList // the events of last and old, made when they are first needed
	built *builder   // the builder that made lists
	old   []*Event   // events of earlier cycles, with AccEvents
}

// session is a recording in progress.
type session struct {
	config config
	unix   int64 // Unix time in ns at which profiler.Clock was zero
	begin  int64
	live   int64 // bytes allocated on the CPU at the start
	undo   func()
	seen   func() seen // stops watchTensors and returns what it recorded
	object named.Object
}

// recorded is the result of a session.
type recorded struct {
	*profiler.Result
	config  config
	regions []*region.Region
	seen
	unix       int64
	live       int64
	begin, end int64
	cut        int64 // time at which the memory limit was reached, or 0
}

// busy holds the current session. A process can record only one at a time.
var busy struct {
	sync.Mutex
	session *session
}

// NewProfile returns a profile that has not started. The options are Python's keyword
// arguments. It panics with ErrValue for no activities, and with ErrNil for a nil option.
// Follows torch.profiler.profile.
func NewProfile(opts ...Option) *Profile {
	return &Profile{config: readOptions("profiler.NewProfile", opts)}
}

// Run profiles fn and returns the stopped profile. It returns the error of Start, in
// which case fn is not called, or the error of the function in OnTraceReady. If fn
// panics, the profile is stopped before the panic continues. Run panics with ErrNil for a
// nil fn. Python writes "with profile(...) as p:".
func Run(fn func(p *Profile), opts ...Option) (p *Profile, err error) {
	if fn == nil {
		panic(torch.NilFunc("profiler.Run", "fn"))
	}
	p = &Profile{config: readOptions("profiler.Run", opts)}
	if err := p.Start(); err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	fn(p)
	return p, nil
}

// Start starts the profile with step 0 of the schedule. The error is a *torch.Error:
// ErrRuntime if this profile has been started before or another one is being recorded;
// ErrDevice if CUDA is the only activity and there is no device, or the device cannot be
// recorded. If Start fails, the profile is unchanged.
func (p *Profile) Start() error {
	if err := p.checkMade("Start"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running || p.ran {
		return misuse("Start", "the profile has been started before")
	}
	if err := p.config.resolve(); err != nil {
		return err
	}
	p.action = ActionRecord
	if p.config.hasSchedule {
		p.action = p.config.schedule(0)
	}
	if err := p.enter(p.action); err != nil {
		return err
	}
	p.running = true
	p.mark()
	return nil
}

// Step begins the next step of the schedule. Without a schedule it only counts steps. At
// the end of a cycle it calls the function in OnTraceReady and returns its error. It
// returns a *torch.Error of kind ErrRuntime if the profile is not running. It returns
// the same kind if another profile started recording between two cycles; this cycle is
// then not recorded.
func (p *Profile) Step() error {
	if err := p.checkMade("Step"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		return misuse("Step", "the profile is not running; call Start first")
	}
	p.stepMark.Finish()
	was := p.action
	p.step++
	if p.config.hasSchedule {
		p.action = p.config.schedule(p.step)
	}
	err := p.move(was, p.action)
	p.mark()
	return err
}

// Stop stops the profile, and calls the function in OnTraceReady if the last step was
// being recorded. The error is that function's, or a *torch.Error of kind ErrRuntime if
// the profile was never started. Further calls do nothing.
func (p *Profile) Stop() error {
	if err := p.checkMade("Stop"); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running {
		if p.ran {
			return nil
		}
		return misuse("Stop", "the profile is not running; call Start first")
	}
	p.stepMark.Finish()
	p.running, p.ran = false, true
	if p.session == nil {
		return nil
	}
	if p.action == ActionWarmup {
		_, err := p.end()
		return err
	}
	return p.save()
}

// move ends or starts a recording as needed between two steps. from and to are the
// actions of these steps.
func (p *Profile) move(from, to Action) error {
	var err error
	switch {
	case from == ActionRecordAndSave:
		err = p.save()
	case p.session != nil && from == ActionWarmup && to != ActionWarmup:
		_, err = p.end() // discard what was recorded during the warmup
	case p.session != nil && (to == ActionNone || to == ActionWarmup) && from != to:
		err = p.keep() // the schedule ended a cycle without saving it
	}
	if !p.running { // the function in OnTraceReady called Stop
		return err
	}
	return errors.Join(err, p.enter(to))
}

// enter starts a recording if the action needs one.
func (p *Profile) enter(a Action) error {
	if a < ActionNone || a > ActionRecordAndSave {
		return &torch.Error{
			Op: "profiler.Profile.Step", Kind: torch.ErrValue,
			Message: fmt.Sprintf("the schedule returned %v, which is not a valid action", a),
		}
	}
	if a == ActionNone || p.session != nil {
		return nil
	}
	s, err := begin(p.config)
	if err != nil {
		return err
	}
	p.session = s
	return nil
}

func (p *Profile) mark() {
	p.stepMark = nil
	if p.config.hasSchedule && p.session != nil {
		p.stepMark = region.Begin(fmt.Sprintf("ProfilerStep#%d", p.step), region.User)
	}
}

func (p *Profile) end() (*recorded, error) {
	s := p.session
	p.session = nil
	return s.end()
}

// keep ends the recording and stores it in the profile.
func (p *Profile) keep() error {
	r, err := p.end()
	if err != nil {
		return err
	}
	p.config.kernels = r.config.kernels
	if p.config.acc && p.last != nil {
		p.old = p.build().Events // build returns the events of earlier cycles too
	}
	p.last, p.lists = r, nil
	return nil
}

// save calls keep, and then the function in OnTraceReady.
func (p *Profile) save() error {
	if p.session == nil {
		return nil // this cycle was not recorded, because another profile was recording
	}
	err := p.keep()
	if err != nil || p.config.ready == nil {
		return err
	}
	p.mu.Unlock() // the function may call methods of the profile, which lock it
	defer p.mu.Lock()
	return p.config.ready(p)
}

func begin(c config) (*session, error) {
	busy.Lock()
	defer busy.Unlock()
	if busy.session != nil {
		return nil, misuse("Start", "another profile is being recorded; a process can record one at a time")
	}
	what := 0
	if c.shapes {
		what |= profiler.Inputs
	}
	if c.flops {
		what |= profiler.Flops
	}
	if c.memory {
		what |= profiler.Memory
	}
	s := &session{config: c}
	// Start numbering goroutines before the events that use the numbers.
	trace.StartLanes()
	if c.stack {
		trace.Start()
	}
	most := 0
	if c.limit > 0 {
		most = int(c.limit/regionBytes) + 1
	}
	region.Start(profiler.Clock, most)
	err := torch.Try(func() {
		r := torch.BeginRaw("profiler.Profile.Start")
		r.Status(profiler.Start(what, c.limit))
	})
	s.begin = profiler.Clock()
	s.live = mem.CPU.LiveBytes.Load()
	s.unix = time.Now().UnixNano() - s.begin
	if err == nil && c.cuda {
		if err = s.startDevices(); err != nil {
			_ = torch.Try(func() { _, _ = profiler.Stop() }) // return the error of startDevices, not of Stop
		}
	}
	if err != nil {
		s.finish()
		return nil, err
	}
	if c.modules {
		s.undo = watchModules()
	}
	if c.memory {
		s.seen = watchTensors()
	}
	s.object = named.MadeOf(named.Profiles, profiler.Bytes)
	busy.session = s
	return s, nil
}

// regionBytes is the approximate size of a recorded region. It converts a memory limit to a
// number of regions.
const regionBytes = 150

func (s *session) toggle(on bool) { profiler.Toggle(on) }

// Truncated reports whether the current recording reached its [MemoryLimit], and when; events
// that began later are missing. If no recording is in progress, it reports on the recording of
// the last cycle. It panics with ErrNil for a profile that NewProfile did not make.
func (p *Profile) Truncated() (after time.Duration, truncated bool) {
	if err := p.checkMade("Truncated"); err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.session != nil:
		at := profiler.Cut()
		if at == 0 && region.Full() {
			at = profiler.Clock()
		}
		if at != 0 {
			return time.Duration(at - p.session.begin), true
		}
	case p.last != nil && p.last.cut != 0:
		return time.Duration(p.last.cut - p.last.begin), true
	}
	return 0, false
}

// notice describes the truncation of the recording. It returns "" if the recording is
// complete.
func (r *recorded) notice() string {
	if r.cut == 0 {
		return ""
	}
	return fmt.Sprintf("truncated after %.3g s, at the limit of %d bytes", time.Duration(r.cut-r.begin).Seconds(),
		r.config.limit)
}

func (s *session) finish() []*region.Region {
	if s.undo != nil {
		s.undo()
	}
	if s.config.stack {
		trace.Stop()
	}
	trace.StopLanes()
	return region.Stop()
}

func (s *session) end() (*recorded, error) {
	busy.Lock()
	defer busy.Unlock()
	busy.session = nil
	s.object.Gone()
	var out *profiler.Result
	err := torch.Try(func() {
		r := torch.BeginRaw("profiler.Profile.Stop")
		res, st := profiler.Stop()
		out = res
		r.Status(st)
	})
	end := profiler.Clock()
	full := region.Full()
	var tensors seen
	if s.seen != nil {
		tensors = s.seen()
	}
	regions := s.finish()
	if err != nil {
		return nil, err
	}
	if out.Silent {
		cgotorch.Warn("profiler: CUPTI reported nothing for the CUDA devices in use; the profile covers only the " +
			"CPU and the memory of devices")
		s.config.kernels = false
	}
	cut := out.Cut
	if full && cut == 0 {
		cut = end
	}
	return &recorded{
		Result: out, config: s.config, regions: regions, seen: tensors, unix: s.unix, live: s.live,
		begin: s.begin, end: end, cut: cut,
	}, nil
}

func misuse(method, message string) *torch.Error {
	return &torch.Error{Op: "profiler.Profile." + method, Kind: torch.ErrRuntime, Message: message}
}
