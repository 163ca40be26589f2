package jit_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/jit"
	"github.com/gotorch/gotorch/torchtest"
)

func TestObjectsAndForks(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		m := load(t, "objects")
		defer func() { assert.NoError(t, m.Close()) }()
		b := torch.Ones(torch.Shape{2})
		pair := m.Run(3, b).(*jit.Object)
		assert.Equal(t, "__torch__.Pair", pair.Class)
		assert.Equal(t, int64(3), pair.Attr("a"))
		assert.Equal(t, b.DataPtr(), pair.Attr("b").(*torch.Tensor).DataPtr())
		assert.Equal(t, []float32{4, 4}, m.RunMethod("add", pair).(*torch.Tensor).Float32s())
		require.ErrorIs(t, torch.Try(func() { pair.Attr("c") }), torch.ErrValue)
		require.NoError(t, pair.Close())
		require.NoError(t, pair.Close())
		require.ErrorIs(t, torch.Try(func() { pair.Attr("a") }), torch.ErrClosed)
		require.ErrorIs(t, torch.Try(func() { m.RunMethod("add", pair) }), torch.ErrClosed)
		require.ErrorIs(t, torch.Try(func() { (*jit.Object)(nil).Attr("a") }), torch.ErrNil)
		assert.Equal(t, "<__torch__.Pair object>", pair.String())
	})
}

// holder returns a module that has an object as an attribute. Its method forward changes
// the object.
func holder(t *testing.T) *jit.Module {
	t.Helper()
	const program = `class Values(Module):
  pair : __torch__.Pair
  def forward(self: __torch__.Values, x: Tensor) -> Tensor:
    pair = self.pair
    for _0 in range(20):
      text = pair.text
      pair.text = torch.add(pair.other, "")
      pair.other = torch.add(text, "")
    return x
  def get(self: __torch__.Values) -> __torch__.Pair:
    return self.pair
  def swap(self: __torch__.Values, p: __torch__.Pair) -> int:
    for _0 in range(20):
      text = p.text
      p.text = torch.add(p.other, "")
      p.other = torch.add(text, "")
    return 1
  def both(self: __torch__.Values, p: __torch__.Pair, q: __torch__.Pair) -> bool:
    return torch.eq(p.text, q.text)
class Pair:
  text : str
  other : str
`
	text := func(s string) string {
		return string(binary.LittleEndian.AppendUint32([]byte("X"), uint32(len(s)))) + s
	}
	pkl := "\x80\x02c__torch__\nValues\n)\x81}" + text("pair") + "c__torch__\nPair\n)\x81}(" +
		text("text") + text(texts[0]) + text("other") + text(texts[1]) + "ubsb."
	all := with(records(t, "values"), "values/code/__torch__.py", []byte(program))
	data := zipped(t, with(all, "values/data.pkl", []byte(pkl)))
	m, err := jit.LoadFrom(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	return m
}

// texts are the two values that the object's attribute text may have. forward switches
// between them.
var texts = []string{strings.Repeat("a", 100), strings.Repeat("b", 100)}

// An object's attribute can be read while calls change the object. These may be calls of
// the module that has the object, or calls to which the object is passed.
func TestObjectsThatCallsChange(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := holder(t)
	other := m.DeepCopy() // a copy has the same classes, so its methods accept the objects of m
	x := torch.Ones(torch.Shape{1})
	pair := m.RunMethod("get").(*jit.Object)
	inner := m.Attr("pair").(*jit.Object)
	for name, change := range map[string]func(){
		"its own module": func() { torch.Scope(func() { m.Forward(x) }) },
		"a copy":         func() { other.RunMethod("swap", pair) },
	} {
		var wg sync.WaitGroup
		for _, o := range []*jit.Object{pair, inner} {
			// only a call of m locks inner, and this goroutine calls the copy
			if name == "a copy" && o == inner {
				continue
			}
			wg.Go(func() {
				for range 300 {
					assert.Contains(t, texts, o.Attr("text"), name)
				}
			})
		}
		wg.Go(func() {
			for range 300 {
				change()
			}
		})
		wg.Wait()
	}
	for _, c := range []interface{ Close() error }{pair, inner, x, m, other} {
		require.NoError(t, c.Close())
	}
	require.ErrorIs(t, torch.Try(func() { new(jit.Object).Attr("text") }), torch.ErrNil)
}

// Goroutines close objects while other goroutines pass the objects to calls. No call waits
// forever.
func TestObjectsClosedWhileCalled(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := holder(t)
	for range 20 {
		var all []*jit.Object
		for range 4 {
			all = append(all, m.RunMethod("get").(*jit.Object))
		}
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() {
				for {
					err := torch.Try(func() { m.RunMethod("both", all[i], all[(i+1)%len(all)]) })
					if err != nil {
						assert.ErrorIs(t, err, torch.ErrClosed)
						return
					}
				}
			})
			wg.Go(func() { assert.NoError(t, all[i].Close()) })
		}
		wg.Wait()
	}
	require.NoError(t, m.Close())
}
