tier voice { match protocol udq }
