package aoti_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/torch/aoti"
)

func TestProcessors(t *testing.T) {
	const x86 = "processor\t: 0\nflags\t\t: fpu avx2 avx512f avx512_vnni\nflags: amx_tile\n"
	assert.Empty(t, aoti.Lacking([]string{"avx512", "avx512_vnni"}, aoti.Features(x86)))
	assert.Empty(t, aoti.Lacking([]string{"avx2"}, aoti.Features(x86)))
	assert.Empty(t, aoti.Lacking([]string{"invalid_vec_isa"}, aoti.Features(x86)))
	assert.Equal(t, []string{"amx_tile"}, aoti.Lacking([]string{"avx512", "amx_tile"}, aoti.Features(x86)))
	assert.Equal(t, []string{"avx2"}, aoti.Lacking([]string{"avx2"}, aoti.Features("")))
	assert.Empty(t, aoti.Lacking([]string{"asimd", "sve256"}, aoti.Features("Features\t: fp asimd sve\n")))
}
