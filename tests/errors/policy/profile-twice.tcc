profile p { rtt lan }
profile p { rtt lan }
