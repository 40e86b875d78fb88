param a : durations
