package parallel_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/internal/ranks"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parallel"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributed"
	"github.com/gotorch/gotorch/torch/distributed/join"
	"github.com/gotorch/gotorch/torchtest"
)

// All methods of a nil module, and of a module that was not made by a constructor, fail
// with ErrNil and name the method.
func TestNilModule(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	type network = *parallel.DistributedDataParallel
	nothing := func() error { return nil }
	methods := map[string]func(net network) error{
		"Group":      func(net network) error { net.Group(); return nil },
		"SetContext": func(net network) error { net.SetContext(background); return nil },
		"Forward":    func(net network) error { net.Forward(nil); return nil },
		"ForwardFunc": func(net network) error {
			net.ForwardFunc(func() []*torch.Tensor { return nil })
			return nil
		},
		"NoSync":           func(net network) error { net.NoSync(func() {}); return nil },
		"RegisterCommHook": func(net network) error { return net.RegisterCommHook(parallel.AllReduceHook) },
		"BucketBytes":      func(net network) error { _, err := net.BucketBytes(); return err },
		"BeginJoin":        func(net network) error { _, err := net.BeginJoin(nil); return err },
		"EndJoin":          func(net network) error { net.EndJoin(); return nil },
		"Join":             func(net network) error { return net.Join(background, nothing) },
		"JoinGroup":        nil, // returns nil, which join.Join rejects
		"Release":          nil, // does nothing
	}
	base := reflect.TypeFor[*nn.Base]()
	for m := range reflect.TypeFor[network]().Methods() {
		if _, promoted := base.MethodByName(m.Name); !promoted {
			assert.Contains(t, methods, m.Name)
		}
	}
	for what, net := range map[string]network{
		"is nil": nil,
		"was not made by NewDistributedDataParallel": new(parallel.DistributedDataParallel),
	} {
		for name, call := range methods {
			if call == nil {
				continue
			}
			var err error
			if panicked := torch.Try(func() { err = call(net) }); panicked != nil {
				err = panicked
			}
			require.ErrorIs(t, err, torch.ErrNil, name)
			require.ErrorContains(t, err, "parallel.DistributedDataParallel."+name+": argument receiver: "+what)
		}
		assert.Nil(t, net.JoinGroup())
		assert.NotPanics(t, net.Release)
		require.ErrorIs(t, join.Join(background, []join.Joinable{net}, nothing), torch.ErrNil)
	}
	for name, hook := range map[string]distributed.CommHook{
		"AllReduceHook": parallel.AllReduceHook, "FP16CompressHook": parallel.FP16CompressHook,
		"BF16CompressHook": parallel.BF16CompressHook,
	} {
		_, err := hook(background, nil)
		require.ErrorIs(t, err, torch.ErrNil)
		require.ErrorContains(t, err, "parallel."+name+": argument b: ")
	}
	ranks.AllWell(t, 1, func(g *distributed.ProcessGroup) error {
		net, err := wrap(g, mlp())
		if err != nil {
			return err
		}
		defer net.Close()
		require.ErrorIs(t, torch.Try(func() { net.SetContext(nil) }), torch.ErrNil) //nolint:staticcheck // is refused
		_, err = net.BeginJoin(nil)
		require.ErrorIs(t, err, torch.ErrNil)
		net.EndJoin() // no join has begun
		return pass(net)
	})
}
