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
	"github.com/gotorch/gotorch/transformers/models/clip"
)

// Outputs, losses and gradients of CLIP and its parts with random weights equal Python's,
// with and without padding, and for images of other sizes. Files of old versions load, too.
func TestCLIPEqualsPython(t *testing.T) {
	dir, names := written(t, "clip")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			defer torchtest.CheckLeaks(t)()
			path := filepath.Join(dir, name)
			var m nn.Module
			var err error
			if strings.HasSuffix(name, ".image") {
				m, err = transformers.LoadImageClassification(path)
			} else {
				m, err = transformers.LoadModel(path)
			}
			require.NoError(t, err)
			defer func() { require.NoError(t, m.ModuleBase().Close()) }()
			torch.Scope(func() {
				g := openGolden(t, path)
				g.gradients(m, checkCLIP(g, m))
			})
		})
	}
}

// checkCLIP checks the results of a part of CLIP, and returns its loss.
func checkCLIP(g *golden, m nn.Module) *torch.Tensor {
	mask, positions := models.AttentionMask(g.get("mask")), models.PositionIDs(g.get("positions"))
	large := models.InterpolatePosEncoding(true)
	ids, pixels := g.get("ids"), g.get("pixels")
	check := func(prefix string, features, pooled *torch.Tensor) *torch.Tensor {
		g.check(prefix+".last_hidden_state", features)
		g.check(prefix+".pooler_output", pooled)
		return features.PowScalar(2).Mean().Add(pooled.PowScalar(2).Mean())
	}
	switch m := m.(type) {
	case *clip.Model:
		check := func(prefix string, o clip.Output) {
			g.check(prefix+".logits_per_image", o.LogitsPerImage)
			g.check(prefix+".logits_per_text", o.LogitsPerText)
			g.check(prefix+".text_embeds", o.TextEmbeds)
			g.check(prefix+".image_embeds", o.ImageEmbeds)
		}
		masked := m.Forward(ids, pixels, mask)
		check("plain", m.Forward(ids, pixels))
		check("masked", masked)
		check("positions", m.Forward(ids, pixels, positions))
		check("interpolated", m.Forward(ids, g.get("large"), large))
		return masked.Loss()
	case models.Encoder:
		features, pooled := m.Forward(ids)
		check("plain", features, pooled)
		features, pooled = m.Forward(ids, positions)
		check("positions", features, pooled)
		features, pooled = m.Forward(ids, mask)
		return check("masked", features, pooled)
	case models.ImageEncoder:
		features, pooled := m.Forward(g.get("large"), large)
		check("interpolated", features, pooled)
		features, pooled = m.Forward(pixels)
		return check("plain", features, pooled)
	case *clip.ForImageClassification:
		logits := m.Forward(pixels)
		g.check("plain.logits", logits)
		return m.Config.Labels.Loss(logits, g.get("labels"))
	}
	g.t.Fatalf("a %T", m)
	return nil
}
