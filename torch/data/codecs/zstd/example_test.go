package zstd_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/zstd"
)

// Read shards that were compressed with zstd.
func Example() {
	set, err := data.NewWebDataset([]string{"testdata/shard.tar.zst"}, data.Fields{"cls"},
		data.Decompressors{".zst": zstd.NewReader})
	if err != nil {
		log.Fatal(err)
	}
	for batch := range data.NewIterableLoader(set, data.BatchSize(2)).All() {
		fmt.Println(batch.Input.Int64s())
	}
	// Output:
	// [3 4]
}
