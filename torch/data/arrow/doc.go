// Package arrow reads the columns of Parquet and Arrow files as tensors: as a
// [data.Table], or as a stream of rows for files larger than memory.
//
//	table, err := arrow.ReadTable("train.parquet", arrow.Columns{"age", "income", "label"})
//	if err != nil {
//		return err
//	}
//	defer table.Close()
//	train := table.Dataset("label")
//
// The package detects the format from the file's first bytes: Parquet, or Arrow IPC
// (Feather 2) as a file or as a stream. A column of numbers becomes a tensor of the same
// dtype. Dates and times become int64 in the file's unit. Lists of equal length become a
// tensor of two dimensions. With [Categories], a column of strings becomes int64 category
// codes.
//
// Damaged and hostile files give errors. Sizes that a file claims are checked against the
// file's size before memory is allocated, and [MemoryLimit] limits the memory of its
// rows. A file whose columns or batches overlap is refused. To enforce the limit for
// Parquet too, the package checks the pages of a column before arrow-go reads them, and
// registers its own Snappy and Zstandard codecs with arrow-go. They stop when the page
// that they decompress is full.
package arrow
