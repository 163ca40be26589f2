package sysmem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/internal/sysmem"
)

func TestResidentHoldsWhatIsTouched(t *testing.T) {
	now, peak := sysmem.Resident()
	if now == 0 {
		t.Skip("the system does not tell")
	}
	assert.LessOrEqual(t, now, peak)
	const bytes = 64 << 20
	block := make([]byte, bytes)
	for i := 0; i < bytes; i += 4096 {
		block[i] = 1
	}
	now, peak = sysmem.Resident()
	assert.GreaterOrEqual(t, now, int64(bytes))
	assert.GreaterOrEqual(t, peak, now)
	assert.EqualValues(t, 1, block[4096])
}
