// Package arrow reads the columns of Parquet and Arrow files as tensors, as a
// [data.Table] or as a stream of rows for files larger than memory.
//
//	table, err := arrow.ReadTable("train.parquet", arrow.Columns{"age", "income", "label"})
//	if err != nil {
//		return err
//	}
//	defer table.Close()
//	train := table.Dataset("label")
//
// The kind of a file is known by its first bytes: Parquet, Arrow IPC (Feather 2) with its
// footer or as a stream. A column of numbers becomes a tensor of its dtype, dates and
// times one of int64 in the file's unit, and lists of one length a tensor of two
// dimensions. With [Categories] a column of texts becomes one of their numbers.
//
// Damaged and hostile files are errors. What a file says of itself is compared with its
// size before memory is taken for it, and [MemoryLimit] says how much its rows may take.
// To have that for Parquet too the package gives arrow-go, on which it is built, codecs for
// Snappy and Zstandard that take no more memory than the page that they unpack.
package arrow
