package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/compilefail"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func TestOptionsThatDoNotApply(t *testing.T) {
	s := compilefail.Scope{
		Imports: []string{"github.com/gotorch/gotorch/memory", "github.com/gotorch/gotorch/torch"},
		Decls:   "var dev = torch.CPU; var stats memory.DeviceStats; func fn() {}",
	}
	s.Accepts(t,
		"memory.Summary(dev, memory.Abbreviated(true))",
		"stats.Summary(dev, memory.Abbreviated(true))",
		`memory.Track("a", fn, memory.Device(dev))`,
		`memory.StartTrack("a", memory.Device(dev))`,
	)
	s.Rejects(t,
		"memory.Summary(dev, true)",
		"memory.Summary(dev, memory.Device(dev))",
		"stats.Summary(dev, memory.Device(dev))",
		`memory.Track("a", fn, dev)`,
		`memory.Track("a", fn, memory.Abbreviated(true))`,
		`memory.StartTrack("a", memory.Abbreviated(true))`,
	)
	for name, fn := range map[string]func(){
		"Summary":             func() { memory.Summary(torch.CPU, nil) },
		"DeviceStats.Summary": func() { memory.DeviceStats{}.Summary(torch.CPU, nil) },
		"Track":               func() { memory.Track("a", func() { t.Error("ran") }, nil) },
		"StartTrack":          func() { memory.StartTrack("a", memory.Device(torch.CPU), nil) },
	} {
		assert.ErrorIs(t, torch.Try(fn), torch.ErrNil, name)
	}
}
