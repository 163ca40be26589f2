// Package modeltest contains what the tests of models share. Their goldens come from the scripts
// make_models.py, which have the same functions.
package modeltest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

// Layout lists the tensors of a state dict as the script does.
func Layout(m nn.Module) string {
	var s strings.Builder
	for _, n := range m.StateDict() {
		fmt.Fprintf(&s, "%s [%s] %v\n", n.Name,
			strings.Trim(strings.ReplaceAll(fmt.Sprint([]int64(n.Tensor.Shape())), " ", ", "), "[]"), n.Tensor.DType())
	}
	return s.String()
}

// Hashed returns a hash of text.
func Hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// Draws says which kinds of random numbers are bitwise equal to the random numbers of the
// processor on which goldens were made.
type Draws struct{ Values, Dropout bool }

// CompareDraws compares random numbers with the checksums "probe" and "dropped" of a golden
// file.
func CompareDraws(probed []uint32, drop uint32) Draws {
	return Draws{Values: slices.Equal(probed, probe()), Dropout: drop == dropped()}
}

// Values contains the checksums and the sums of a model's initial values.
type Values struct {
	CRC  string
	CRCs []uint32
	Sums []float64
}

// Check compares the initial values of parameters. If same is true, they must be bitwise equal.
// Otherwise only the sums of the values are compared, because this processor draws other random
// numbers than the processor on which the goldens were made.
func (v *Values) Check(t testing.TB, m nn.Module, same bool) {
	t.Helper()
	var all []string
	for i, n := range m.StateDict() {
		sum := Sum(n.Tensor)
		all = append(all, fmt.Sprint(sum))
		switch {
		case len(v.CRCs) == 0:
		case same:
			assert.Equal(t, v.CRCs[i], sum, "%s: the values differ", n.Name)
		default:
			torch.Scope(func() {
				torch.NoGrad(func() {
					assert.InEpsilon(t, 1+v.Sums[i], 1+n.Tensor.Double().Abs().Sum().Item(), 1e-5, n.Name)
				})
			})
		}
	}
	if same {
		assert.Equal(t, v.CRC, Hashed(strings.Join(all, " ")), "the values differ")
	}
}

// probe draws random numbers in the same ways as the models, and returns checksums.
// make_models.py has the same function.
func probe() (sums []uint32) {
	torch.ManualSeed(7)
	torch.Scope(func() {
		empty := func(n int64) *torch.Tensor { return torch.Empty(torch.Shape{n}) }
		for _, x := range []*torch.Tensor{
			nninit.Normal_(empty(5000), 0, 0.02), nninit.Normal_(empty(7), 0, 1),
			nninit.Uniform_(empty(5000), -0.3, 0.7), nninit.TruncNormal_(empty(5000), nninit.Std(0.02)),
		} {
			sums = append(sums, Sum(x))
		}
	})
	return sums
}

// dropped drops elements in the same way as the models, and returns a checksum.
// make_models.py has the same function.
func dropped() (sum uint32) {
	torch.ManualSeed(7)
	torch.Scope(func() {
		sum = Sum(F.Dropout(torch.Ones(torch.Shape{1000}, torch.Float64), F.P(0.3), F.Training(true)))
	})
	return sum
}

// Sum returns the checksum of a tensor's bytes.
func Sum(x *torch.Tensor) (sum uint32) {
	torch.Scope(func() { sum = crc32.ChecksumIEEE(x.Detach().Reshape(-1).ViewDType(torch.Uint8).Uint8s()) })
	return sum
}

// Images returns the same images as make_models.py.
func Images(size int64) *torch.Tensor {
	n := 2 * 3 * size * size
	return torch.Arange(n).MulScalar(37).RemainderScalar(101).Double().DivScalar(101).SubScalar(0.5).Reshape(2, 3, size,
		size)
}

// Fill sets parameters to the same values as make_models.py.
func Fill(m nn.Module) {
	for i, p := range m.NamedParameters() {
		torch.Scope(func() {
			torch.NoGrad(func() {
				n, shape := p.Tensor.Numel(), p.Tensor.Shape()
				u := torch.Arange(n).MulScalar(7919).AddScalar(11 * i).RemainderScalar(10007).Double().DivScalar(10007).
					SubScalar(0.5)
				switch {
				case len(shape) > 1:
					u.MulScalar_(math.Sqrt(24 / float64(n/shape[0])))
				case strings.HasSuffix(p.Name, "weight"):
					u.DivScalar_(4).AddScalar_(1)
				default:
					u.DivScalar_(4)
				}
				p.Tensor.Copy_(u.Reshape(shape...))
			})
		})
	}
}

// Roundings returns how many roundings a forward and a backward pass contain: three times
// the number of terms that each layer adds up.
func Roundings(m nn.Module, size int64) int {
	n := int64(0)
	for _, l := range nn.Modules(m) {
		n += 4
		switch l := l.(type) {
		case *nn.Conv2d:
			in, _ := nninit.Fans(l.Weight)
			n += in
		case *nn.Linear:
			n += l.InFeatures
		case *nn.BatchNorm2d:
			n += 2 * size * size / 4 // the pixels of both images, after the first layer has halved height and width
		case *nn.GroupNorm, *nn.LayerNorm, *models.LayerNorm2d, *nn.MultiheadAttention:
			n += size * size / 4
		}
	}
	return int(3 * n)
}
