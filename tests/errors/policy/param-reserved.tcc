param cake : rate
