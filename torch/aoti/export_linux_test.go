package aoti

// Features is the function features, for tests.
var Features = features
