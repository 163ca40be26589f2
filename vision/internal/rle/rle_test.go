package rle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gotorch/gotorch/torchtest"
	"github.com/gotorch/gotorch/vision/internal/rle"
)

// Masks equal those of pycocotools: testdata/make_masks.py made them.
func TestGoldens(t *testing.T) {
	var golden struct {
		H, W     int64
		Polygons []struct {
			Points []float64
			Text   string
			Counts []int64
			Area   int64
			Box    [4]int64
		}
		Unions []struct {
			Parts []int
			Text  string
		}
		Intersections [][3]int64
	}
	torchtest.LoadGoldens(t, "testdata/masks.json").Decode("masks", &golden)
	var masks []rle.Mask
	for _, p := range golden.Polygons {
		m, err := rle.Polygon(p.Points, golden.H, golden.W)
		if len(p.Points) == 4 {
			m, err = rle.Box([4]float64(p.Points), golden.H, golden.W)
		}
		require.NoError(t, err)
		assert.Equal(t, p.Counts, m.Counts, p.Points)
		assert.Equal(t, p.Area, m.Area())
		assert.Equal(t, p.Box, m.Box(), p.Points)
		parsed, err := rle.Parse(golden.H, golden.W, p.Text)
		require.NoError(t, err)
		assert.Equal(t, p.Counts, parsed.Counts)
		pixels := make([]byte, golden.H*golden.W)
		m.Decode(pixels)
		twin := rle.Encode(pixels, golden.H, golden.W)
		assert.Equal(t, m.Area(), twin.Area())
		assert.Equal(t, m.Area(), rle.Intersection(m, twin))
		masks = append(masks, m)
	}
	for _, u := range golden.Unions {
		var parts []rle.Mask
		for _, i := range u.Parts {
			parts = append(parts, masks[i])
		}
		want, err := rle.Parse(golden.H, golden.W, u.Text)
		require.NoError(t, err)
		assert.Equal(t, pixelsOf(want), pixelsOf(rle.Union(parts)))
	}
	for _, c := range golden.Intersections {
		assert.Equal(t, c[2], rle.Intersection(masks[c[0]], masks[c[1]]))
	}
}

func pixelsOf(m rle.Mask) []byte {
	pixels := make([]byte, m.H*m.W)
	m.Decode(pixels)
	return pixels
}

// Wrong masks are errors.
func TestErrors(t *testing.T) {
	for _, text := range []string{"~", "/", "P", "oooooooooooooo", "99999", "0O", "o"} {
		_, err := rle.Parse(3, 4, text)
		assert.Error(t, err, text)
	}
	for _, counts := range [][]int64{{13}, {-1}, {6, 7}, {math.MaxInt64, 2}} {
		_, err := rle.New(3, 4, counts)
		assert.Error(t, err, counts)
	}
	_, err := rle.New(1<<30, 1<<30, nil)
	assert.ErrorIs(t, err, rle.ErrSize)
	_, err = rle.New(-1, 1, nil)
	assert.ErrorIs(t, err, rle.ErrSize)
	for _, xy := range [][]float64{{0, 0, 1e9, 0, 0, 1}, {0, math.NaN(), 1, 1, 2, 2}, {math.Inf(1), 0, 1, 1, 2, 2}} {
		_, err := rle.Polygon(xy, 10, 10)
		assert.ErrorIs(t, err, rle.ErrLong)
	}
	long := make([]float64, 0, 40000)
	for range 10000 {
		long = append(long, -1000, 0, 1000, 10)
	}
	_, err = rle.Polygon(long, 10, 10)
	assert.ErrorIs(t, err, rle.ErrLong)
	// The polygons of an object share the limit.
	p, err := rle.NewPolygons(10, 10)
	assert.NoError(t, err)
	for err == nil {
		_, err = p.Draw([]float64{0, 0, 10, 0, 10, 10, 0, 10})
	}
	assert.ErrorIs(t, err, rle.ErrLong)
	_, err = rle.NewPolygons(1<<30, 1<<30)
	assert.ErrorIs(t, err, rle.ErrSize)
}

// A mask may have no pixels.
func TestEmpty(t *testing.T) {
	for _, size := range [][2]int64{{0, 0}, {0, 5}, {5, 0}, {1, 1}} {
		m, err := rle.Polygon([]float64{0, 0, 2, 0, 2, 2}, size[0], size[1])
		require.NoError(t, err)
		m.Decode(make([]byte, size[0]*size[1]))
		assert.LessOrEqual(t, m.Area(), size[0]*size[1])
	}
	m, err := rle.Polygon(nil, 2, 2)
	require.NoError(t, err)
	assert.Zero(t, m.Area())
	assert.Equal(t, [4]int64{}, m.Box())
}

// FuzzMasks checks that any polygon and any text gives a mask that fits, or an error.
func FuzzMasks(f *testing.F) {
	f.Add(int64(5), int64(7), "0:3", 0.5, 1.5, 4.0, -3.0, 2.0, 9.0)
	f.Fuzz(func(t *testing.T, h, w int64, text string, a, b, c, d, e, g float64) {
		if h > 64 || w > 64 {
			h, w = h%64, w%64
		}
		check := func(m rle.Mask, err error) {
			if err != nil {
				return
			}
			pixels := pixelsOf(m)
			n := int64(0)
			for _, p := range pixels {
				n += int64(p)
			}
			require.Equal(t, n, m.Area())
			box := m.Box()
			require.LessOrEqual(t, box[0]+box[2], w)
			require.LessOrEqual(t, box[1]+box[3], h)
		}
		check(rle.Parse(h, w, text))
		check(rle.Polygon([]float64{a, b, c, d, e, g}, h, w))
		check(rle.Box([4]float64{a, b, c, d}, h, w))
	})
}
