package com.example

import kotlin.math.max

const val LIMIT = 10
typealias Handler = (Int) -> Unit

/** A shop. */
@Serializable
data class Shop(
    val name: String,
    val size: Int = 0,
) : Base(name), Closeable {
    private val items = mutableListOf<String>()
    val isOpen: Boolean
        get() = true

    init {
        check(size > 0)
    }

    constructor(name: String) : this(name, 1) {
        go()
    }

    // sells
    @Throws(IOException::class)
    override suspend fun sell(
        item: String,
    ): Int {
        fun local(x: Int) = x
        val y = 1
        return 1
    }

    companion object {
        fun create(): Shop = Shop("x")
    }

    inner class Inner
}

interface Area {
    fun area(): Double
}

object Registry {
    fun register() {}
}

enum class Color { RED, GREEN }

sealed class Result<out T>

fun String.shout(): String {
    return uppercase()
}

fun <T> id(x: T): T = x
