package show_test

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/notebooks/show"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torchtest"
)

// cells returns the colors and the texts of the elements in a diagram, row by row.
func cells(t *testing.T, c show.Content) (fills, values []string) {
	t.Helper()
	svg := c[show.SVG].(string)
	require.NoError(t, xml.Unmarshal([]byte(svg), new(struct{})))
	for _, m := range regexp.MustCompile(`fill="([^"]*)" stroke="#555"/><text [^>]*>([^<]*)</text>`).
		FindAllStringSubmatch(svg, -1) {
		if m[1] != "none" {
			fills, values = append(fills, m[1]), append(values, m[2])
		}
	}
	return fills, values
}

// Storage draws the storage first, and then the tensor. An element has the same color in
// both.
func TestStorage(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Arange(6).View(2, 3)
		c := show.Storage(x.Index(torch.All, torch.Slice(1, 3)).T())
		assert.Equal(t, "storage A: 6 elements of int64, 48 bytes; shape (2, 2), stride (1, 3), offset 1, not "+
			"contiguous", c.String())
		fills, values := cells(t, c)
		assert.Equal(t, strings.Fields("0 1 2 3 4 5  1 4 2 5"), values)
		assert.Equal(t, []string{"white", "white"}, []string{fills[0], fills[3]}, "not reached")
		assert.Equal(t, []string{fills[1], fills[4], fills[2], fills[5]}, fills[6:])
		assert.Len(t, map[string]bool{fills[0]: true, fills[1]: true, fills[2]: true, fills[4]: true, fills[5]: true},
			5)
		assert.Contains(t, c[show.SVG], ">axis 0: +1</text>")
		assert.Contains(t, c[show.SVG], ">axis 1: +3</text>")
	})
}

func TestStorageLetters(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		x := torch.Ones(torch.Shape{2, 2}, torch.Float32, torch.RequiresGrad(true))
		text := strings.Split(show.Storage(x, x.T(), x.Clone(), x.Index(1)).String(), "\n")
		require.Len(t, text, 4)
		for i, want := range []string{"storage A: 4", "storage A: 4", "storage B: 4", "storage A: 4"} {
			assert.True(t, strings.HasPrefix(text[i], want), text[i])
		}
		assert.Equal(t, "storage A: 4 elements of float32, 16 bytes; shape (2,), stride (1,), offset 2", text[3])
	})
}

func TestStorageValues(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		for want, x := range map[string]*torch.Tensor{
			"1. 2.5 0.3333 NaN 1. 2.5 0.3333 NaN": torch.FromSlice([]float64{
				1, 2.5, 1.0 / 3,
				0,
			}).Div(torch.FromSlice([]float64{1, 1, 1, 0})),
			"True False True False": torch.FromSlice([]bool{true, false}),
			"7 7":                   torch.FromSlice([]uint8{7}).Squeeze(),
			"3 3 3 3":               torch.FromSlice([]int64{3}).Expand(3),
			"":                      torch.Zeros(torch.Shape{0, 2}),
		} {
			_, values := cells(t, show.Storage(x))
			assert.Equal(t, want, strings.Join(values, " "))
		}
		assert.Empty(t, show.Storage().String())
	})
}

func TestStorageMistakes(t *testing.T) {
	defer torchtest.CheckLeaks(t)()
	torch.Scope(func() {
		closed := torch.Eye(2)
		closed.Close()
		for name, c := range map[string]struct {
			x    *torch.Tensor
			kind error
		}{
			"nil":      {nil, torch.ErrNil},
			"closed":   {closed, torch.ErrClosed},
			"axes":     {torch.Ones(torch.Shape{1, 1, 1}), torch.ErrShape},
			"large":    {torch.Ones(torch.Shape{65}), torch.ErrValue},
			"part":     {torch.Ones(torch.Shape{65}).Index(torch.Slice(0, 2)), torch.ErrValue},
			"expanded": {torch.Ones(torch.Shape{1}).Expand(65), torch.ErrValue},
			"sparse":   {torch.Eye(2).ToSparse(), torch.ErrValue},
			"complex":  {torch.Ones(torch.Shape{2}, torch.Complex64), torch.ErrValue},
		} {
			assert.ErrorIs(t, torch.Try(func() { show.Storage(torch.Eye(2), c.x) }), c.kind, name)
		}
	})
}
