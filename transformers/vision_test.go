package transformers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/transformers"
	"github.com/gotorch/gotorch/transformers/models"
	"github.com/gotorch/gotorch/transformers/models/vit"
)

// Outputs, losses and gradients of vision transformers with random weights equal Python's,
// for the model's size and for others. Files of version 4 load, too.
func TestViTEqualsPython(t *testing.T) {
	dir, names := written(t, "vit")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			m, run := loadViT(t, filepath.Join(dir, name))
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, filepath.Join(dir, name))
				pixels := g.get("pixels")
				out := run(pixels)
				for name, x := range out {
					g.check("plain."+name, x)
				}
				if large := g.optional("large"); large != nil {
					for name, x := range run(large, models.InterpolatePosEncoding(true)) {
						g.check("interpolated."+name, x)
					}
				}
				var loss *torch.Tensor
				if c, ok := m.(*vit.ForImageClassification); ok {
					require.Len(t, c.Labels(), int(out["logits"].Size(1)))
					loss = c.Config.Labels.Loss(out["logits"], g.get("labels"))
				} else {
					loss = out["last_hidden_state"].PowScalar(2).Mean().Add(out["pooler_output"].PowScalar(2).Mean())
				}
				g.gradients(m, loss)
			})
		})
	}
}

type imageRun = func(*torch.Tensor, ...models.ImageOption) map[string]*torch.Tensor

func loadViT(t *testing.T, dir string) (nn.Module, imageRun) {
	t.Helper()
	if strings.HasSuffix(dir, ".image") {
		m, err := transformers.LoadImageClassification(dir)
		require.NoError(t, err)
		return m, func(pixels *torch.Tensor, opts ...models.ImageOption) map[string]*torch.Tensor {
			return map[string]*torch.Tensor{"logits": m.Forward(pixels, opts...)}
		}
	}
	m, err := transformers.LoadModel(dir)
	require.NoError(t, err)
	return m, func(pixels *torch.Tensor, opts ...models.ImageOption) map[string]*torch.Tensor {
		features, pooled := m.(models.ImageEncoder).Forward(pixels, opts...)
		return map[string]*torch.Tensor{"last_hidden_state": features, "pooler_output": pooled}
	}
}
