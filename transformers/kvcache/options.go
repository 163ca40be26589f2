package kvcache

// An Option is an option of [New]: [Capacity].
//
//gotorch:options Capacity
type Option interface{ option() }

// Capacity is the largest number of tokens in a cache. The cache allocates memory for all
// of them at the first update and never more. Without it a cache grows.
type Capacity int64
