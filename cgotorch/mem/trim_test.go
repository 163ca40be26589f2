package mem_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gotorch/gotorch/cgotorch/mem"
)

func TestHeapGoesBackWhenTheProgramRests(t *testing.T) {
	now := time.Unix(0, 0)
	k := mem.NewKeeper(now)
	var made, caches, heaps int64
	look := func(after time.Duration, more int64) (cache, heap int64) {
		now, made = now.Add(after), made+more
		c, h := caches, heaps
		k.Look(now, func() int64 { return made }, func() { caches++ }, func() { heaps++ })
		return caches - c, heaps - h
	}
	for _, step := range []struct {
		after       time.Duration
		more        int64
		cache, heap int64
		what        string
	}{
		{time.Millisecond, 0, 0, 0, "collections follow each other"},
		{2 * time.Second, 0, 1, 0, "too soon for the heap"},
		{11 * time.Second, 1_000_000, 1, 0, "busy"},
		{11 * time.Second, 1001, 1, 0, "busy"},
		{5 * time.Second, 0, 1, 0, "too soon"},
		{6 * time.Second, 10, 1, 1, "at rest"},
		{2 * time.Minute, 0, 1, 1, "once more, for what was freed meanwhile"},
		{2 * time.Minute, 1000, 1, 0, "there is nothing new"},
		{11 * time.Second, 50_000, 1, 0, "busy"},
		{2 * time.Minute, 0, 1, 1, "at rest again"},
	} {
		cache, heap := look(step.after, step.more)
		assert.Equal(t, step.cache, cache, step.what)
		assert.Equal(t, step.heap, heap, step.what)
	}
}
