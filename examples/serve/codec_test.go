package main

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// For any bytes, decode returns numbers or an error. For all input that encoding/json
// accepts, it returns the same numbers as encoding/json.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"input": [1, -2.5, 3e-3]}`, `{"input": []}`, `{"input": null}`, `{"input": [1e39]}`, `{"input": [1`,
		`{"INPUT": [1]}`, `{"input": [1], "input": [2, 3]}`, "[]", "", "\x00\x00\x80\x3f", "{\"input\": [0.1]}\n",
	} {
		f.Add([]byte(body), false)
		f.Add([]byte(body), true)
	}
	f.Fuzz(func(t *testing.T, body []byte, isBinary bool) {
		x, err := decode(body, isBinary)
		if isBinary {
			if len(body)%4 != 0 {
				require.ErrorIs(t, err, errBody)
				return
			}
			require.NoError(t, err)
			var back bytes.Buffer
			require.NoError(t, encode(&back, x, true))
			for i := range x { // a signaling NaN may be returned as a quiet NaN
				if x[i] == x[i] {
					assert.Equal(t, body[4*i:4*i+4], back.Bytes()[4*i:4*i+4])
				}
			}
			return
		}
		if err != nil {
			require.ErrorIs(t, err, errBody)
		}
		for _, v := range x {
			require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
		}
	})
}

func TestDecode(t *testing.T) {
	for body, want := range map[string][]float32{
		`{"input": [1, -2.5, 3e-3, 0.1]}`:  {1, -2.5, 3e-3, 0.1},
		`{"input": []}`:                    {},
		` {"other": null, "input":[ 7 ]} `: {7},
	} {
		x, err := decode([]byte(body), false)
		require.NoError(t, err, body)
		assert.Equal(t, want, x, body)
		var standard input
		require.NoError(t, json.Unmarshal([]byte(body), &standard))
		assert.Equal(t, standard.Input, x)
	}
	for _, body := range []string{
		``, `{}`, `[1]`, `{"input": 1}`, `{"input": [1}`, `{"input": [1e39]}`,
		`{"input": [1]} x`, `{"input": null}`, `{"input": [null]}`, `{"INPUT": [1, null]}`, `null`,
	} {
		_, err := decode([]byte(body), false)
		require.ErrorIs(t, err, errBody, body)
	}
}

func TestEncode(t *testing.T) {
	var body bytes.Buffer
	require.NoError(t, encode(&body, []float32{1, 0.1}, false))
	assert.JSONEq(t, `{"output":[1,0.1]}`, body.String())
	require.Error(t, encode(&body, []float32{float32(math.NaN())}, false))
}
