package history_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/memory/internal/history"
)

// recorder is an allocator that only notes how its recording is switched.
type recorder struct {
	of    *history.Recording
	modes []history.Mode
}

func (r *recorder) Recording() *history.Recording { return r.of }

func (r *recorder) Record(to, _ *history.Options) bool {
	r.modes = append(r.modes, to.Mode)
	return to.Clear
}

var (
	on  = history.Options{Mode: history.All, Context: history.ContextAll}
	off = history.Options{Mode: history.Off}
)

// If several allocators share a recording, it is switched only once.
func TestSharedRecordings(t *testing.T) {
	var shared, own history.Recording
	a, b, c := &recorder{of: &shared}, &recorder{of: &shared}, &recorder{of: &own}
	o := on
	o.Program = true
	history.Switch(o, a, b, c)
	assert.Equal(t, []history.Mode{history.All}, a.modes)
	assert.Empty(t, b.modes)
	assert.Equal(t, []history.Mode{history.All}, c.modes)
	assert.True(t, shared.Program())
	history.Switch(off, b, c)
	assert.False(t, shared.Program())
}

// Stacks of operators are recorded while at least one recording needs them.
func TestStacksAreTaken(t *testing.T) {
	require.False(t, trace.On())
	o := on
	history.Switch(o, history.CPU{})
	assert.True(t, trace.On())
	o.Context = history.ContextNone
	history.Switch(o, history.CPU{})
	assert.False(t, trace.On())
	history.Switch(off, history.CPU{})
	assert.False(t, trace.On())
}

func TestMarks(t *testing.T) {
	cpu := history.CPU{}
	name := func(n string) history.Mark { return history.Mark{Name: n, Stage: "START"} }
	history.Annotate(name("before"))
	o := on
	o.Most, o.Clear = 4, true
	history.Switch(o, cpu)
	defer history.Switch(off, cpu)
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		history.Annotate(name(n))
	}
	assert.Equal(t, []history.Mark{name("c"), name("d"), name("e")}, cpu.Recording().Marks(),
		"a full list gives up its older half")
	history.Switch(history.Options{Mode: history.State, Context: history.ContextAll, Clear: true}, cpu)
	history.Annotate(name("f"))
	assert.Empty(t, cpu.Recording().Marks(), "only a history of all events has marks")
}

// A watch records the lines of blocks while it runs. It does not change recordings that the
// program switches.
func TestWatches(t *testing.T) {
	cpu := history.CPU{}
	a, b := history.WatchBlocks(), history.WatchBlocks()
	assert.True(t, trace.On())
	a.Stop()
	a.Stop()
	assert.True(t, trace.On(), "another watch runs")
	b.Stop()
	assert.False(t, trace.On())

	a = history.WatchBlocks()
	history.Switch(on, cpu)
	a.Stop()
	assert.True(t, trace.On(), "the program records by now")
	a = history.WatchBlocks()
	a.Stop()
	assert.True(t, trace.On(), "the program recorded before")
	history.Switch(off, cpu)
	assert.False(t, trace.On())
}
