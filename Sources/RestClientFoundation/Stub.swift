import RestClient
