testbed t { host ipq8074b }
