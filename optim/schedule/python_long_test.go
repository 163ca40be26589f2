package schedule_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
)

// The rates of 1000 steps equal Python's to the last bit, even if another scheduler loads the state
// midway and continues.
func TestLongAgainstPython(t *testing.T) {
	data, err := os.ReadFile("testdata/long.json")
	require.NoError(t, err)
	var cases map[string]string
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			for _, resume := range []int{-1, 500} {
				torch.Scope(func() {
					o := optimizer(name)
					defer o.Close()
					s := makers[name](o)
					step := stepper(name, s)
					h := sha256.New()
					for i := range 1000 {
						if i == resume {
							p := optimizer(name)
							defer p.Close()
							r := makers[name](p)
							require.NoError(t, p.LoadStateDict(o.StateDict()))
							require.NoError(t, r.LoadStateDict(s.StateDict()))
							o, step = p, stepper(name, r)
						}
						g := o.ParamGroups()
						require.NoError(t,
							binary.Write(h, binary.LittleEndian, []float64{g[0].LR(), g[1].LR(), momentum(o)}))
						step(i)
					}
					assert.Equal(t, want, hex.EncodeToString(h.Sum(nil)), "resumed at %d", resume)
				})
			}
		})
	}
}
