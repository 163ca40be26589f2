package zero_test

// partitions is the output of testdata/partition.py: the parameters that each rank gets.
var partitions = []struct {
	sizes []int64
	parts [][]int
}{
	{[]int64{10, 200, 30, 4}, [][]int{{1}, {2, 0, 3}}},
	{[]int64{10, 200, 30, 4}, [][]int{{1}, {2}, {0, 3}}},
	{[]int64{5, 5, 5, 5, 5}, [][]int{{0, 2, 4}, {1, 3}}},
	{[]int64{1}, [][]int{{0}, {}, {}}},
	{[]int64{7, 3, 9, 9, 2, 8, 1}, [][]int{{2, 1}, {3, 4, 6}, {5, 0}}},
	{[]int64{64, 64, 128, 1, 1, 1}, [][]int{{2}, {0}, {1}, {3, 4, 5}}},
}
