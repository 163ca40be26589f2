package picture_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/memory/internal/picture"
)

func TestPictures(t *testing.T) {
	g := picture.Graph{Heaviest: 10, Nodes: []picture.Node{
		{Lines: []string{"first", "<text>"}, Next: []int{1, 7}, Weight: 10},
		{Lines: []string{"second"}},
	}}
	var dot, svg strings.Builder
	require.NoError(t, g.WriteDOT(&dot))
	assert.Contains(t, dot.String(), `n0 [label="first\n<text>", fillcolor="#ff6969"]`)
	assert.Contains(t, dot.String(), "n0 -> n1;")
	assert.NotContains(t, dot.String(), "n7", "what is not drawn")
	require.NoError(t, g.WriteSVG(&svg))
	assert.Contains(t, svg.String(), "&lt;text&gt;")
	assert.Equal(t, 1, strings.Count(svg.String(), "marker-end"))
}
