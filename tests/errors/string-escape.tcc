include "C:\new\policy.tcc"
include "a\\b.tcc"
