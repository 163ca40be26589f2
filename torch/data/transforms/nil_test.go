package transforms_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torchtest"
)

// Calling a nil transform causes an error that names the transform, unless the transform
// has no settings.
func TestNilTransforms(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		image := torch.Zeros(torch.Shape{3, 5, 6})
		all := list()
		all["Lambda"] = transforms.NewLambda(func(x *torch.Tensor) *torch.Tensor { return x })
		all["LinearTransformation"] = transforms.NewLinearTransformation(torch.Ones(torch.Shape{3, 3}),
			torch.Ones(torch.Shape{3}))
		for _, f := range all {
			none := reflect.Zero(reflect.TypeOf(f)).Interface().(transforms.Transform)
			name := strings.TrimPrefix(fmt.Sprintf("%T", f), "*transforms.")
			err := torch.Try(func() { none.Forward(image) })
			assert.Regexp(t, `^[A-Za-z]+\((nil)?\)$`, none.(fmt.Stringer).String(), name)
			if err == nil { // it has no settings
				assert.Zero(t, reflect.TypeOf(f).Elem().Size(), name)
				continue
			}
			require.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "transforms."+name+".Forward", name)
		}
		labels := torch.Zeros(torch.Shape{1}, torch.Int64)
		for name, fn := range map[string]func(){
			"MixUp.Forward":      func() { (*transforms.MixUp)(nil).Forward(image, labels) },
			"CutMix.Forward":     func() { (*transforms.CutMix)(nil).Forward(image, labels) },
			"FiveCrop.Crops":     func() { (*transforms.FiveCrop)(nil).Crops(image) },
			"TenCrop.Crops":      func() { (*transforms.TenCrop)(nil).Crops(image) },
			"Compose.Transforms": func() { (*transforms.Compose)(nil).Transforms() },
		} {
			err := torch.Try(fn)
			require.ErrorIs(t, err, torch.ErrNil, name)
			assert.ErrorContains(t, err, "transforms."+name, name)
		}
	})
}
