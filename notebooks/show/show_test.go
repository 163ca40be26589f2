package show_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/memory/plot"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/summary"
	"github.com/gotorch/gotorch/notebooks/show"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/profiler"
	"github.com/gotorch/gotorch/torchtest"
)

func TestRenderTensor(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(6).View(2, 3)
		got := show.Render(x.T())
		assert.Equal(t, x.T().String(), got[show.Text])
		assert.Equal(t, got[show.Text], got.String())
		assert.Equal(t, "<pre>"+x.T().String()+"</pre><small>int64 &middot; shape (3, 2) &middot; stride (1, 3) "+
			"&middot; not contiguous &middot; cpu</small>", got[show.HTML])
		assert.Contains(t, show.Render(torch.Ones(torch.Shape{1}, torch.RequiresGrad(true)).AddScalar(1))[show.HTML],
			"grad_fn=&lt;AddBackward0&gt;")

		x.Close()
		assert.Equal(t, "<pre>tensor(&lt;closed&gt;)</pre>", show.Render(x)[show.HTML])
		assert.Equal(t, "<pre>None</pre>", show.Render((*torch.Tensor)(nil))[show.HTML])
	})
}

func TestRenderModules(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	m := nn.NewSequential(nn.NewLinear(30, 40), nn.NewReLU(), nn.NewLinear(40, 2))
	defer m.Close()
	m.Get("2").ModuleBase().SetRequiresGrad(false)
	tree := show.Render(m)[show.HTML]
	assert.Contains(t, tree, "<code>Sequential</code> <small>1,322 parameters, 82 frozen</small>")
	assert.Contains(t, tree,
		"<code>(0) Linear(in_features=30, out_features=40, bias=True)</code> <small>1,240 parameters</small>")
	assert.Contains(t, tree, "<code>(1) ReLU()</code></div>")
	assert.Contains(t, tree,
		"<code>(2) Linear(in_features=40, out_features=2, bias=True)</code> <small>82 parameters, 82 frozen</small>")

	sd := m.StateDict()
	table := show.Render(sd)
	assert.Equal(t, sd.String(), table[show.Text])
	assert.Contains(t, table[show.HTML], ">0.weight</td>")
	assert.Contains(t, table[show.HTML], ">(40, 30)</td>")
	assert.Contains(t, table[show.HTML], ">1,200</td>")

	s := summary.Of(m, func() { m.Forward(torch.Ones(torch.Shape{1, 30})) })
	assert.Equal(t, "<pre>"+s.String()+"</pre>", show.Render(s)[show.HTML])

	assert.Contains(t, show.Render(m.NamedParameters())[show.HTML], ">0.weight</td>")
	list := show.Render(m.Parameters()[1:2])
	assert.Equal(t, "["+m.Parameters()[1].String()+"]", list[show.Text])
	assert.Contains(t, list[show.HTML], "<code>[0]</code><pre>Parameter containing:")

	assert.Nil(t, show.Render(nil))
	assert.Nil(t, show.Render(3))
	assert.Nil(t, show.Render((*nn.Linear)(nil)))
	c := show.Content{show.Text: "a"}
	assert.Equal(t, c, show.Render(c))
}

func TestPlot(t *testing.T) {
	c := show.Curve("step", "loss", []float64{3, 2, 1})
	assert.Equal(t, "a plot of loss over step", c.String())
	assert.Contains(t, c[show.SVG], "<svg")
	wrong := plot.Panel{Lines: []plot.Line{{X: []float64{1}, Y: []float64{1, 2}}}}
	assert.ErrorIs(t, torch.Try(func() { show.Plot("step", wrong) }), torch.ErrValue)
}

func TestFrame(t *testing.T) {
	c := show.Frame(`<p class="a">`, 300)
	assert.Equal(t,
		`<iframe sandbox="allow-scripts" srcdoc="&lt;p class=&#34;a&#34;&gt;" width="100%" height="300" `+
			`style="border:1px solid #ccc"></iframe>`, c[show.HTML])
}

func TestSnapshot(t *testing.T) {
	assert.Contains(t, show.Snapshot(&memory.SnapshotData{}, 300)[show.HTML], `&lt;/html&gt;`)
	assert.ErrorIs(t, torch.Try(func() { show.Snapshot(nil, 300) }), torch.ErrNil)
	c := show.Render(&memory.SnapshotData{})
	assert.Equal(t, "memory snapshot: 0 segments of 0 B, 0 blocks of 0 B in use, 0 events", c.String())
	assert.Contains(t, c[show.HTML], "<iframe")
	assert.Nil(t, show.Render((*memory.SnapshotData)(nil)))
}

func TestRenderProfiles(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	p, err := profiler.Run(func(*profiler.Profile) { torch.Scope(func() { torch.Ones(torch.Shape{2}).Exp() }) })
	require.NoError(t, err)
	for _, v := range []fmt.Stringer{p, p.Events(), p.KeyAverages()} {
		c := show.Render(v)
		assert.Equal(t, v.String(), c.String())
		assert.Equal(t, "<pre>"+v.String()+"</pre>", c[show.HTML])
		assert.Contains(t, c.String(), "aten::exp")
	}
}

func TestImages(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	decode := func(c show.Content) image.Image {
		img, err := png.Decode(bytes.NewReader(c[show.PNG].([]byte)))
		require.NoError(t, err)
		return img
	}
	torch.Scope(func() {
		x := torch.Stack([]*torch.Tensor{
			torch.Zeros(torch.Shape{1, 2, 3}), torch.Ones(torch.Shape{1, 2, 3}), torch.Full(torch.Shape{1, 2, 3}, 2.5),
		})
		img := decode(show.Images(x, show.Columns(2), show.Scale(4)))
		assert.Equal(t, image.Rect(0, 0, 2+2*(12+2), 2+2*(8+2)), img.Bounds())
		gray := func(x, y int) uint32 { v, _, _, _ := img.At(x, y).RGBA(); return v >> 8 }
		assert.Equal(t, []uint32{0, 255, 0, 255, 0},
			[]uint32{gray(2, 2), gray(16, 2), gray(15, 2), gray(2, 12), gray(16, 12)})

		colours := torch.Zeros(torch.Shape{3, 1, 1}, torch.Uint8)
		colours.SetIndex(200, 2)
		r, g, b, _ := decode(show.Images(colours)).At(2, 2).RGBA()
		assert.Equal(t, [3]uint32{0, 0, 200}, [3]uint32{r >> 8, g >> 8, b >> 8})
		assert.Equal(t, "1 pictures of (2, 2)", show.Images(torch.Eye(2)).String())

		for name, c := range map[string]struct {
			fn   func()
			kind error
		}{
			"nil":         {func() { show.Images(nil) }, torch.ErrNil},
			"axes":        {func() { show.Images(torch.Ones(torch.Shape{2})) }, torch.ErrShape},
			"channels":    {func() { show.Images(torch.Ones(torch.Shape{2, 3, 3})) }, torch.ErrShape},
			"none":        {func() { show.Images(torch.Ones(torch.Shape{0, 1, 3, 3})) }, torch.ErrShape},
			"whole":       {func() { show.Images(torch.Ones(torch.Shape{3, 3}, torch.Int64)) }, torch.ErrDType},
			"columns":     {func() { show.Images(torch.Eye(2), show.Columns(0)) }, torch.ErrValue},
			"scale":       {func() { show.Images(torch.Eye(2), show.Scale(-1)) }, torch.ErrValue},
			"nil option":  {func() { show.Images(torch.Eye(2), nil) }, torch.ErrNil},
			"last counts": {func() { show.Images(torch.Eye(2), show.Scale(2), show.Scale(0)) }, torch.ErrValue},
		} {
			assert.ErrorIs(t, torch.Try(c.fn), c.kind, name)
		}
		assert.True(t, strings.HasPrefix(show.Images(x).String(), "3 pictures"))
	})
}
